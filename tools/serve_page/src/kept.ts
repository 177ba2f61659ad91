/** What the browser keeps of how the page looks, from one visit to the next. */

/** Return what is kept under a name; null for nothing. */
export function recalled(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keep a value; where the browser keeps nothing, the page looks as usual next time. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Nothing is lost but that.
  }
}
