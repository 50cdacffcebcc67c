// @ts-check
/// <reference path="../../schemas/page.d.ts" />
// What a page is written with, by its id.

/** @template {keyof Page.Elements} Id @param {Id} id @returns {Page.Elements[Id]} */
export function $(id) {
  const found = /** @type {any} */ (document.getElementById(id));
  if (!found) throw new Error(`nothing is called ${id}`);
  return found;
}
