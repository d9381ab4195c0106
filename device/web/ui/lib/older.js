// @ts-check
// Polyfills for the oldest supported browsers (Chrome 92, Firefox 98, Safari 15.4); runs before any other script.
"use strict";
{
  /** @type {(owner: object, name: string, value: Function) => unknown} */
  const lend = (owner, name, value) =>
    name in owner || Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  /** @type {(this: any, index: number) => unknown} */
  const at = function (index) {
    return this[index < 0 ? this.length + Math.trunc(index) : Math.trunc(index)];
  };
  lend(Array.prototype, "at", at);
  lend(String.prototype, "at", at);
  /** @type {(this: string, text: string, by: string) => string} */
  const replaceAll = function (text, by) {
    return this.split(text).join(by);
  };
  lend(String.prototype, "replaceAll", replaceAll);
  /** @type {(afterMs: number) => AbortSignal} */
  const timeout = (afterMs) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), afterMs);
    return stop.signal;
  };
  lend(AbortSignal, "timeout", timeout);
}
