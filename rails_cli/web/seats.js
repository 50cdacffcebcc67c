"use strict";
// Who sits where at a table, how much time each has left, and what the owner of the table can do about empty seats.

class Seats {
  constructor({ act }) {
    this.act = act;
    this.list = document.getElementById("chairs");
    this.invites = document.getElementById("invites");
    this.clocks = [];
    this.links = new Map();
    setInterval(() => this.tick(), 250);
  }

  // `shown` is what the server showed last, `info` the table as the lobby knows it, `asked` the seat that is really asked.
  show(info, shown, seat, asked) {
    const isOwner = Memory.get(`owner.${info.table}`) !== null;
    this.clocks = [];
    const items = info.seats.map((chair, number) => this.chair(chair, number, { info, shown, seat, asked, isOwner }));
    this.list.replaceChildren(...items);
    this.showInvites(info);
    this.tick();
  }

  chair(chair, number, { info, shown, seat, asked, isOwner }) {
    const { make, swatch, button } = Parts;
    const name = { open: "free", reserved: "by invitation" }[chair.kind] ?? chair.name;
    const item = make("li", asked === number ? "asked" : "", swatch([name, `seat-${number % 6}`, String(number)]), " ", make("b", "", name));
    if (number === seat) item.append(" (you)");
    if (asked === number) item.append(make("span", "turn", " is asked"));
    if (chair.kind === "player" && !chair.connected) item.append(make("span", "quiet", " away"));
    if (chair.kind === "builtin" || chair.kind === "bot") item.append(make("span", "quiet", " played by the server"));
    const left = shown?.clocks?.[number];
    if (left && !shown.result) {
      const clock = make("time", "clock", "");
      clock.setAttribute("aria-label", "time left");
      this.clocks.push({ clock, left, isRunning: asked === number, since: performance.now() });
      item.append(clock);
    }
    if (info.state === "open") item.append(...this.ways(chair, number, seat, isOwner, button));
    return item;
  }

  ways(chair, number, seat, isOwner, button) {
    const ways = [];
    if (seat === null && (chair.kind === "open" || (chair.kind === "reserved" && this.invite))) {
      ways.push(button("Sit here", () => this.act("sit", number), "primary"));
    }
    if (isOwner && (chair.kind === "open" || chair.kind === "reserved")) {
      const invite = button("Invite", () => this.act("invite", number));
      invite.setAttribute("aria-label", `Invite somebody to seat ${number}`);
      ways.push(invite);
    }
    return ways;
  }

  addLink(table, seat, link) {
    this.links.set(`${table}/${seat}`, link);
  }

  showInvites(info) {
    const { make, button } = Parts;
    const items = [];
    for (const { seat, kind } of info.seats) {
      const link = this.links.get(`${info.table}/${seat}`);
      if (!link || kind !== "reserved" || info.state !== "open") continue;
      const field = make("input", "link");
      field.value = link;
      field.readOnly = true;
      field.setAttribute("aria-label", `Link for seat ${seat}, good once`);
      field.addEventListener("focus", () => field.select());
      items.push(make("p", "fields", `Seat ${seat}: `, field, button("Copy", (event) => Seats.copy(link, event.currentTarget, field))));
    }
    if (items.length) items.unshift(make("p", "quiet", "Send such a link to one person; it is good once."));
    if (this.invites.childElementCount !== items.length) this.invites.replaceChildren(...items);
  }

  static async copy(text, button, field) {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      if (!field) prompt("The link, to be copied:", text);
      field?.select();
    }
  }

  tick() {
    for (const { clock, left, isRunning, since } of this.clocks) {
      const used = isRunning ? (performance.now() - since) / 1000 : 0;
      const times = [left.bank_s, left.move_s].filter((time) => time !== null).map((time) => Math.max(0, time - used));
      const time = Math.min(...times);
      clock.textContent = Seats.time(time);
      clock.classList.toggle("short", isRunning && time < 15);
    }
  }

  // Such as `1800+20,60/move`.
  static clockWords(clock) {
    const words = clock.split(",").map((part) => {
      if (part.endsWith("/move")) return `${part.slice(0, -5)} s a move`;
      const [bank, more] = part.split("+");
      const whole = bank % 60 === 0 ? `${bank / 60} min` : `${bank} s`;
      return more ? `${whole} and ${more} s a move` : whole;
    });
    return `time: ${words.join(", ")}`;
  }

  static time(seconds) {
    if (seconds < 10) return `${seconds.toFixed(1)} s`;
    const whole = Math.floor(seconds);
    const hours = Math.floor(whole / 3600);
    const minutes = Math.floor(whole / 60) % 60;
    const rest = String(whole % 60).padStart(2, "0");
    return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
  }
}
