// @ts-check
// Caches a phone's pages and files, so that they open without the tray and say so. Data of the tray is never cached.

const CACHE = `pushtray-${new URL(location.href).searchParams.get("files")}`;
const ANSWER_MS = 4000;
const worker = /** @type {any} */ (self);

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(fill());
  worker.skipWaiting();
});
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(take()));
worker.addEventListener("notificationclick", (/** @type {any} */ event) => event.waitUntil(open(event.notification)));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate") event.respondWith(page(event.request, pathname));
  else if (pathname.startsWith("/static/")) event.respondWith(file(event.request));
});

async function fill() {
  const answer = await fetch("/shell.json", { cache: "no-store" });
  const { pages, files } = await answer.json();
  const cache = await caches.open(CACHE);
  await cache.addAll([...pages, ...files]);
}

/** Shows the page that is open, else the player's own. @param {Notification} notice */
async function open(notice) {
  notice.close();
  const [page] = await worker.clients.matchAll({ type: "window" });
  await (page ? page.focus() : worker.clients.openWindow("/me"));
}

async function take() {
  for (const name of await caches.keys()) if (name.startsWith("pushtray-") && name !== CACHE) await caches.delete(name);
  await worker.clients.claim();
}

/**
 * A page from the tray, or from the cache if the tray is unreachable.
 * @param {Request} request
 * @param {string} pathname
 */
async function page(request, pathname) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(pathname);
  if (!kept) return fetch(request);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(ANSWER_MS) });
    if (answer.ok && !answer.redirected) await cache.put(pathname, answer.clone());
    return answer;
  } catch {
    return kept;
  }
}

/** @param {Request} request */
const file = async (request) => (await (await caches.open(CACHE)).match(request.url)) ?? fetch(request);
