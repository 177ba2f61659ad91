/** Times and days in words. */

/** Days before a deadline from which it is told in another colour. */
export const SOON = 14;

const DAY = 86_400_000;

/** Return when something was, from seconds since 1970: today, yesterday, 12 Oct, 2 Sep 2024. */
export function ago(seconds: number | null): string {
  if (seconds === null) return "";
  const then = new Date(seconds * 1000);
  const now = new Date();
  const days = Math.round((midnight(now) - midnight(then)) / DAY);
  if (days === 0) return "today";
  if (days === 1) return "yesterday";
  return day(then, then.getFullYear() !== now.getFullYear());
}

/** Return a date as 2 Nov. */
export function dated(iso: string): string {
  const then = new Date(`${iso}T12:00:00`);
  return day(then, then.getFullYear() !== new Date().getFullYear());
}

function day(then: Date, withYear: boolean): string {
  return then.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...(withYear && { year: "numeric" }) });
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
