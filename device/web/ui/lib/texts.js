// @ts-check
// Texts in the language of this page, in English if its catalogue lacks one. The rules are those of
// device/texts/catalogue.py: {name} is a value, a count chooses one of two forms, lists are joined.

/** @typedef {Record<string, any>} Values */

export const language = document.documentElement.lang || "en";
const COOKIE_S = 10 * 365 * 86400;

const { one: ones, texts } = await read();

/** @returns {Promise<{ one: number[], texts: Record<string, string | { one: string, other: string }> }>} */
async function read() {
  const response = await fetch(new URL(`../../texts/${language}.json`, import.meta.url));
  if (!response.ok) throw new Error(`no texts for ${language}: ${response.status}`);
  return response.json();
}

/** @param {unknown} value @returns {string} */
function shown(value) {
  if (!Array.isArray(value)) return String(value);
  return value.length < 2 ? value.join("") : t("list.last", { all: value.slice(0, -1).join(", "), last: value.at(-1) });
}

/**
 * The text of a key with its values; the key itself if no catalogue has it.
 * @param {string} key
 * @param {Values} [values]
 */
export const t = (key, values = {}) => maybe(key, values) ?? key;

/**
 * The same for words that people may make up: undefined if no catalogue has the key.
 * @param {string} key
 * @param {Values} [values]
 */
export function maybe(key, values = {}) {
  const known = texts[key];
  if (known === undefined) return undefined;
  const text =
    typeof known === "string" ? known : ones.includes(/** @type {number} */ (values.count)) ? known.one : known.other;
  return text.replace(/\{(\w+)\}/g, (place, name) => (name in values ? shown(values[name]) : place));
}

/** A URL of the tray with this page's language, left out for English, the default. @param {string} path */
export function spoken(path, inLanguage = language) {
  if (inLanguage === "en") return path;
  return `${path}${path.includes("?") ? "&" : "?"}lang=${inLanguage}`;
}

/** Switches this browser to another language. @param {string} chosen */
export function chooseLanguage(chosen) {
  document.cookie = `pushtray-language=${chosen}; path=/; max-age=${COOKIE_S}; samesite=strict`;
  const url = new URL(location.href);
  url.searchParams.delete("lang");
  if (url.href === location.href) location.reload();
  else location.replace(url);
}
