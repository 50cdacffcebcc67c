// @ts-check
// Times in words.

// Such as `1800+20,60/move`.
/** @param {string} clock */
export function clockWords(clock) {
  const words = clock.split(",").map((part) => {
    if (part.endsWith("/move")) return `${part.slice(0, -5)} s a move`;
    const [bank, more] = part.split("+");
    const whole = +bank % 60 === 0 ? `${+bank / 60} min` : `${bank} s`;
    return more ? `${whole} and ${more} s a move` : whole;
  });
  return `time: ${words.join(", ")}`;
}

/** @param {number} seconds */
export function timeWords(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
