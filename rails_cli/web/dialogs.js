// @ts-check
// The page menu, confirmation dialogs, and short messages.

import { $, button, labelled, make } from "./parts.js";

const NOTICE_MS = 5_000;
/** @type {number | undefined} */ let noticeTimer;

/** @typedef {{ words: string, act: () => void }} NoticeAction */

/**
 * Show a short message in place of the one before. Empty words remove it.
 * @param {string} words
 * @param {string} look "quiet" if it disappears after `NOTICE_MS`. Other messages stay until they are closed.
 * @param {NoticeAction[]} actions Buttons beside the words.
 */
export function notice(words, look = "", actions = []) {
  clearTimeout(noticeTimer);
  const box = $("notice");
  box.className = look;
  box.replaceChildren();
  if (!words) return;
  const clear = () => notice("");
  const buttons = actions.map(({ words: name, act }) =>
    button(name, () => {
      clear();
      act();
    }),
  );
  const close = labelled(button("×", clear, "close"), "Close this message");
  box.append(make("span", "", words), ...buttons, close);
  if (look === "quiet") noticeTimer = setTimeout(clear, NOTICE_MS);
}

/**
 * Ask for confirmation. `look` is the CSS class of the button for yes: "danger" (red) if the action cannot be undone.
 * @param {{ title: string, words: string, yes: string, no: string, look?: string }} texts
 * @returns {Promise<boolean>}
 */
export function isConfirmed({ title, words, yes, no, look = "danger" }) {
  const dialog = $("confirm");
  $("confirm-title").textContent = title;
  $("confirm-words").textContent = words;
  $("confirm-yes").textContent = yes;
  $("confirm-yes").className = look;
  $("confirm-no").textContent = no;
  return new Promise((resolve) => {
    const stop = new AbortController();
    const done = (/** @type {boolean} */ answer) => {
      stop.abort();
      dialog.close();
      resolve(answer);
    };
    $("confirm-yes").addEventListener("click", () => done(true), stop);
    $("confirm-no").addEventListener("click", () => done(false), stop);
    dialog.addEventListener("cancel", () => done(false), stop);
    dialog.showModal();
    $("confirm-no").focus();
  });
}

export function offerMenu() {
  const menu = $("menu");
  $("more").addEventListener("click", () => menu.showModal());
  $("menu-close").addEventListener("click", () => menu.close());
  menu.addEventListener("click", (event) => {
    const { left, right, top, bottom } = menu.getBoundingClientRect();
    const { clientX: x, clientY: y } = event;
    const isOutside = event.target === menu && (x < left || x > right || y < top || y > bottom); // on the backdrop
    const isLeaving = event.target instanceof Element && event.target.closest("#table-menu :is(button, a)") !== null;
    if (isOutside || isLeaving) menu.close();
  });
}
