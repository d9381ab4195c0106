// Lists the paths of /openapi.json with what each takes; needs no other host.

import { html } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import "../lib/reachable.js";

// Where a value stands, as the description names the other places: path, query.
const BODY = "body";

function bounds(schema) {
  const parts = [schema.type ?? schema.enum?.map((one) => JSON.stringify(one)).join(" | ") ?? ""];
  if (schema.minimum !== undefined) parts.push(t("page.docs.from", { low: schema.minimum }));
  if (schema.maximum !== undefined) parts.push(t("page.docs.to", { high: schema.maximum }));
  if (schema.description) parts.push(`(${schema.description})`);
  return parts.filter(Boolean).join(" ");
}

function kindOf(schema, all) {
  if (schema.$ref) return kindOf(all[schema.$ref.split("/").at(-1)] ?? {}, all);
  if (schema.anyOf) return schema.anyOf.filter((one) => one.type !== "null").map((one) => kindOf(one, all)).join(" | ") + (schema.description ? ` (${schema.description})` : "");
  if (schema.enum) return schema.enum.join(" | ");
  return bounds(schema);
}

function fields(operation, all) {
  const lines = (operation.parameters ?? []).map((one) => `${one.in} ${one.name}: ${kindOf(one.schema, all)}`);
  let schema = operation.requestBody?.content?.["application/json"]?.schema;
  if (schema?.anyOf) schema = schema.anyOf.find((one) => one.$ref) ?? schema;
  const named = schema?.$ref ? all[schema.$ref.split("/").at(-1)] : schema;
  for (const [name, one] of Object.entries(named?.properties ?? {})) lines.push(`${BODY} ${name}: ${kindOf(one, all)}`);
  return lines.join("\n");
}

const openapi = await (await fetch("/openapi.json")).json();
const all = openapi.components?.schemas ?? {};
document.getElementById("title").textContent = t("page.docs.heading", { title: openapi.info.title });
document.getElementById("about").textContent = openapi.info.description ?? "";
for (const [path, methods] of Object.entries(openapi.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const heading = html("h2", {}, html("span", { class: method === "get" ? "method" : "method write" }, method.toUpperCase()), path);
    const card = html("section", { class: "path" }, heading, html("p", {}, operation.summary ?? ""));
    const takes = fields(operation, all);
    if (takes) card.append(html("pre", {}, takes));
    document.getElementById("paths").append(card);
  }
}
