/** Silence while somebody types: what is wrong in a line is said when it is left, or two seconds later. */

import type { Diagnostic } from "./messages";

/** Milliseconds without a key. */
const PAUSE = 2000;

export class Quiet {
  private typed = 0;
  private timer = 0;
  private readonly held = new Map<string, () => void>();

  /** `line` is the one that the cursor, or the field with focus, is in. */
  constructor(private readonly line: () => number | null) {}

  private lineTyped: number | null = null;

  /** A key was pressed that changed the text. */
  key(): void {
    this.typed = Date.now();
    this.lineTyped = this.line();
    if (this.held.size) this.later();
  }

  /** The cursor moved: what waits is said if it left the line. */
  moved(): void {
    if (this.held.size && this.line() !== this.lineTyped) this.release();
  }

  /** Return what may be said now: not about the line that is being written. */
  heard(diagnostics: Diagnostic[]): Diagnostic[] {
    const now = this.waits ? this.line() : null;
    return diagnostics.filter(({ line }) => now === null || line !== now);
  }

  /** Run `say` as soon as nobody types; of what is `about` the same, only the newest. */
  say(about: string, say: () => void): void {
    this.held.delete(about);
    if (!this.waits) return say();
    this.held.set(about, say);
    this.later();
  }

  /** Forget what waits about something: it isn't true any more. */
  forget(about: string): void {
    this.held.delete(about);
  }

  private get waits(): boolean {
    return Date.now() - this.typed < PAUSE && this.line() === this.lineTyped;
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.release(), this.typed + PAUSE - Date.now());
  }

  private release(): void {
    clearTimeout(this.timer);
    const held = [...this.held.values()];
    this.held.clear();
    this.typed = 0;
    for (const say of held) say();
  }
}
