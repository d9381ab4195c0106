// The live picture: asks for the newest, draws it when it is new, asks less often when nothing happens.

const PAUSE_MS = { busy: 70, calm: 300, hidden: 2000, failed: 1000 };

export function livePicture(canvas, note, isBusy) {
  const pen = canvas.getContext("2d");
  let shown = null;

  async function fetchOnce() {
    const response = await fetch("/api/frame.jpg", { cache: "no-cache", signal: AbortSignal.timeout(15000) });
    if (!response.ok) {
      note.hidden = false;
      return PAUSE_MS.failed;
    }
    const tag = response.headers.get("etag");
    if (tag !== shown) {
      const image = await createImageBitmap(await response.blob());
      if (canvas.width !== image.width || canvas.height !== image.height) {
        canvas.width = image.width;
        canvas.height = image.height;
      }
      pen.drawImage(image, 0, 0);
      image.close();
      shown = tag;
      canvas.dataset.etag = tag;
    }
    note.hidden = true;
    return document.hidden ? PAUSE_MS.hidden : isBusy() ? PAUSE_MS.busy : PAUSE_MS.calm;
  }

  async function loop() {
    let pause = PAUSE_MS.failed;
    try {
      pause = await fetchOnce();
    } catch {
      // The tray is gone for the moment; the event stream says so on the page.
    }
    setTimeout(loop, pause);
  }
  loop();
}
