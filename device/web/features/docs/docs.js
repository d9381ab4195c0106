// @ts-check
// Lists the paths of /openapi.json with their parameters, without another host.

import { byId } from "../../ui/lib/dom.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import "../../ui/lib/reachable.js";

/** @typedef {Record<string, any>} Schema */

// The place of a value, named like path and query in the description.
const BODY = "body";

/** @param {Schema} schema */
function bounds(schema) {
  const parts = [
    schema.type ?? schema.enum?.map((/** @type {unknown} */ one) => JSON.stringify(one)).join(" | ") ?? "",
  ];
  if (schema.minimum !== undefined) parts.push(t("page.docs.from", { low: schema.minimum }));
  if (schema.maximum !== undefined) parts.push(t("page.docs.to", { high: schema.maximum }));
  if (schema.description) parts.push(`(${schema.description})`);
  return parts.filter(Boolean).join(" ");
}

/** @param {Schema} schema @param {Record<string, Schema>} all @returns {string} */
function kindOf(schema, all) {
  if (schema.$ref) return kindOf(all[schema.$ref.split("/").at(-1)] ?? {}, all);
  if (schema.anyOf)
    return (
      schema.anyOf
        .filter((/** @type {Schema} */ one) => one.type !== "null")
        .map((/** @type {Schema} */ one) => kindOf(one, all))
        .join(" | ") + (schema.description ? ` (${schema.description})` : "")
    );
  if (schema.enum) return schema.enum.join(" | ");
  return bounds(schema);
}

/** @param {Schema} operation @param {Record<string, Schema>} all */
function fields(operation, all) {
  const lines = (operation.parameters ?? []).map(
    (/** @type {Schema} */ one) => `${one.in} ${one.name}: ${kindOf(one.schema, all)}`,
  );
  let schema = operation.requestBody?.content?.["application/json"]?.schema;
  if (schema?.anyOf) schema = schema.anyOf.find((/** @type {Schema} */ one) => one.$ref) ?? schema;
  const named = schema?.$ref ? all[schema.$ref.split("/").at(-1)] : schema;
  for (const [name, one] of Object.entries(named?.properties ?? {}))
    lines.push(`${BODY} ${name}: ${kindOf(/** @type {Schema} */ (one), all)}`);
  return lines.join("\n");
}

/** A path that is broken after slashes only. @param {string} path */
const inParts = (path) => path.split("/").map((part, place) => (place ? html`/<wbr />${part}` : part));

const openapi = await (await fetch("/openapi.json")).json();
const all = openapi.components?.schemas ?? {};
/** @type {[path: string, methods: Record<string, Schema>][]} */
const paths = Object.entries(openapi.paths);
const cards = paths.flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const takes = fields(operation, all);
    return html`<section class="card path"><h2><span class=${method === "get" ? "method" : "method write"}>${method.toUpperCase()}</span><span>${inParts(path)}</span></h2><p>${operation.summary ?? ""}</p>${takes ? html`<pre>${takes}</pre>` : nothing}</section>`;
  }),
);
render(
  html`<h2>${t("page.docs.heading", { title: openapi.info.title })}</h2>
    <p class="quiet">${openapi.info.description ?? ""}</p>
    <p class="quiet">${t("page.docs.whole")} <a href="/openapi.json">${t("page.docs.file")}</a>.</p>
    ${cards}`,
  byId("docs"),
);
