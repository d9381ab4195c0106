// @ts-check
// The live picture: requests the newest in the shown size, draws it if it is new, and asks less often the longer nothing
// changes. The tray answers "not modified" in a few hundred bytes while only the camera's noise changes.

const PAUSE_MS = { new: 70, busy: 250, calm: 1000, failed: 1000, look: 50 };
// A phone's screen has more pixels than the eye can tell apart.
const MAX_PIXELS = 2;
const STEP = 16;

/**
 * The canvas has the size of the camera's pictures, the unit of dice and taps.
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} note
 * @param {() => boolean} isBusy
 */
export function livePicture(canvas, note, isBusy) {
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {string | null} */
  let shown = null;
  let pauseMs = PAUSE_MS.new;

  function widthShown() {
    const box = canvas.getBoundingClientRect();
    const share = canvas.width / canvas.height;
    const wide = Math.min(box.width, box.height * share) * Math.min(window.devicePixelRatio, MAX_PIXELS);
    // A pixel more or less is the same picture.
    return wide >= STEP ? `&width=${Math.min(STEP * Math.ceil(wide / STEP), 8192)}` : "";
  }

  // Whether a new picture was drawn; null if there is none.
  async function fetchOnce() {
    const width = widthShown();
    const response = await fetch(`/api/frame.jpg?quiet=true${width}`, {
      cache: "no-cache",
      signal: AbortSignal.timeout(15000),
    });
    if (response.status !== 200) {
      // No picture may be shown: the previous one would show hidden dice.
      if (response.status === 204) pen.clearRect(0, 0, canvas.width, canvas.height);
      shown = null;
      note.hidden = false;
      return null;
    }
    note.hidden = true;
    const tag = response.headers.get("etag");
    if (`${tag}${width}` === shown) return false;
    const image = await createImageBitmap(await response.blob());
    const [wide, high] = (response.headers.get("x-frame-size") ?? `${image.width}x${image.height}`)
      .split("x")
      .map(Number);
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
    }
    pen.drawImage(image, 0, 0, wide, high);
    image.close();
    shown = `${tag}${width}`;
    canvas.dataset.etag = tag ?? "";
    return true;
  }

  // Waits, at most until the tray gets busy or a hidden page becomes visible.
  async function rest() {
    const begins = isBusy() ? () => false : isBusy;
    const until = performance.now() + pauseMs;
    while (document.hidden || !canvas.isConnected || (performance.now() < until && !begins())) {
      if (document.hidden)
        await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
      else await new Promise((done) => setTimeout(done, PAUSE_MS.look));
    }
  }

  async function loop() {
    for (;;) {
      let isNew = null;
      try {
        isNew = await fetchOnce();
      } catch {
        // The tray is unreachable; the event stream shows that on the page.
      }
      if (isNew === null) pauseMs = PAUSE_MS.failed;
      else if (isNew) pauseMs = PAUSE_MS.new;
      else pauseMs = Math.min(1.5 * pauseMs, isBusy() ? PAUSE_MS.busy : PAUSE_MS.calm);
      await rest();
    }
  }
  loop();
}
