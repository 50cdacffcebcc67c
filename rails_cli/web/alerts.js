// @ts-check
// Alerts that it is the player's turn: in the title and icon of the page, and optionally by a sound or a notification.

import { load, save } from "./memory.js";
import { $ } from "./parts.js";

const TONES = [660, 880];
const TONE_S = 0.16;

export class Alerts {
  constructor() {
    this.called = "";
    /** @type {AudioContext | null} */ this.audio = null;
    /** @type {Notification | null} */ this.note = null;
    $("alert-sound").checked = load("sound") === true;
    $("alert-sound").addEventListener("change", () => {
      save("sound", $("alert-sound").checked);
      if ($("alert-sound").checked) this.ring();
    });
    $("alert-note").checked =
      load("note") === true && "Notification" in window && Notification.permission === "granted";
    $("alert-note").addEventListener("change", () => this.chooseNote());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.note?.close());
  }

  // Ask the browser for permission when the box is checked. After a refusal, the browser does not ask the user again.
  async chooseNote() {
    const box = $("alert-note");
    $("alert-words").textContent = "";
    if (box.checked) {
      const answer = "Notification" in window ? await Notification.requestPermission() : "denied";
      box.checked = answer === "granted";
      if (!box.checked) $("alert-words").textContent = "This browser does not allow notifications for this page.";
    }
    save("note", box.checked);
  }

  // Alert the player to a turn at the table `name`, or to another event, as described by `words`. The sound and the
  // notification come once for each `key`.
  call(/** @type {string} */ name, /** @type {string} */ key, words = "Your turn") {
    document.title = `● ${words} – ${name}`;
    $("icon").href = "icon-turn.svg";
    if (key === this.called) return;
    this.called = key;
    if ($("alert-sound").checked) this.ring();
    if ($("alert-note").checked && document.visibilityState === "hidden") this.notify(name, words);
  }

  rest(/** @type {string} */ title) {
    document.title = title;
    $("icon").href = "icon.svg";
    this.note?.close();
    this.note = null;
  }

  // Play a sound. Browsers allow this only after the user has interacted with the page.
  ring() {
    if (!navigator.userActivation.hasBeenActive) return;
    try {
      const audio = this.audio ?? new AudioContext();
      this.audio = audio;
      void audio.resume();
      TONES.forEach((tone, number) => {
        const [from, to] = [audio.currentTime + number * TONE_S, audio.currentTime + (number + 1) * TONE_S];
        const [sound, volume] = [audio.createOscillator(), audio.createGain()];
        sound.frequency.value = tone;
        volume.gain.setValueAtTime(0.15, from);
        volume.gain.exponentialRampToValueAtTime(0.001, to);
        sound.connect(volume).connect(audio.destination);
        sound.start(from);
        sound.stop(to);
      });
    } catch {
      // a browser without sound
    }
  }

  notify(/** @type {string} */ name, /** @type {string} */ words) {
    try {
      this.note = new Notification(words, { body: name, icon: "icon-turn.svg", tag: "rails-cli-turn" });
      this.note.addEventListener("click", () => window.focus());
    } catch {
      // some phones allow notifications only by a service worker
    }
  }
}
