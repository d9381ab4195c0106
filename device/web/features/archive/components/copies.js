// @ts-check
// Backup and restore of the whole log as one file. The tray asks before restoring and keeps the old log.

import { ask } from "../../../ui/lib/api.js";
import { pickedFile } from "../../../ui/lib/dom.js";
import { dayWords } from "../../../ui/lib/moments.js";
import { t } from "../../../ui/lib/texts.js";
import { html } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { confirmed } from "../../../ui/components/dialog.js";
import { say, send } from "../../../ui/components/page.js";

const SEND_MS = 300_000;

export function copies() {
  /** @param {Event} event */
  async function restore(event) {
    const picked = pickedFile(event);
    if (!picked) return;
    say(t("page.history.sending"));
    // Nothing is replaced yet: the file is only checked.
    const sent = await send("POST", "/api/restore", new Blob([picked], { type: "application/vnd.sqlite3" }), SEND_MS);
    if (!sent) return;
    const { rows, first, last, rows_now: now, token } = sent;
    const day = (/** @type {string | null} */ at) => (at === null ? t("page.history.nowhere") : dayWords(at));
    const isSure = await confirmed(
      t("page.history.restore_sure", { count: rows, first: day(first), last: day(last), now }),
      t("page.history.restore_go"),
    );
    if (!isSure) return ask("DELETE", "/api/restore");
    const done = await send("POST", "/api/restore/confirm", { token }, SEND_MS);
    if (!done) return;
    say(done.old === null ? t("page.history.restored_new") : t("page.history.restored", { old: done.old }));
  }

  return html`<section aria-label=${t("page.history.copies")}>
    <h2>${t("page.history.copies")}</h2>
    <p class="quiet">${t("page.history.copies_text")}</p>
    <div class="row"><a class="tool link" href="/api/backup" download data-testid="backup">${t("page.history.backup")}</a><label class="tool link import">${t("page.history.restore")}<input type="file" accept=".sqlite3" aria-label=${t("page.history.restore")} data-testid="restore" @change=${restore}></label></div>
  </section>`;
}
