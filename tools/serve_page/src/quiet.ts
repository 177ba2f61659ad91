/** Silence while somebody types: what is wrong in a line is said when it is left, or two seconds later. */

import type { Diagnostic } from "./messages";

/** Milliseconds without a key. */
const PAUSE = 2000;

export class Quiet {
  private typed = 0;
  private timer = 0;
  private held: (() => void) | null = null;

  /** `line` is the one that the cursor, or the field with focus, is in. */
  constructor(private readonly line: () => number | null) {}

  private lineTyped: number | null = null;

  /** A key was pressed that changed the text. */
  key(): void {
    this.typed = Date.now();
    this.lineTyped = this.line();
    if (this.held) this.later();
  }

  /** The cursor moved: what waits is said if it left the line. */
  moved(): void {
    if (this.held && this.line() !== this.lineTyped) this.release();
  }

  /** Return what may be said now: not about the line that is being written. */
  heard(diagnostics: Diagnostic[]): Diagnostic[] {
    const now = this.waits ? this.line() : null;
    return diagnostics.filter(({ line }) => now === null || line !== now);
  }

  /** Run `say` as soon as nobody types; what waited before isn't said any more. */
  say(say: () => void): void {
    clearTimeout(this.timer);
    this.held = null;
    if (!this.waits) return say();
    this.held = say;
    this.later();
  }

  /** Forget what waits: it isn't true any more. */
  forget(): void {
    clearTimeout(this.timer);
    this.held = null;
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
    const { held } = this;
    this.held = null;
    this.typed = 0;
    held?.();
  }
}
