/** What the form waits for: a text that can be read, the server, or the fields of another part. */

import { find } from "../dom";
import type { Diagnostic } from "../messages";

export class Waits {
  /** Why the text can't be read; null if it can. */
  private fault: { words: string; line: number | null } | null = null;
  private silence: string | null = null;
  private held = false;

  constructor(go: (line: number) => void) {
    find("form-waits-go").onclick = () => {
      if (this.fault?.line) go(this.fault.line);
    };
  }

  /** Whether the text can be read. */
  get parsed(): boolean {
    return this.fault === null;
  }

  /** Whether nothing can be done in the form. */
  get away(): boolean {
    return this.fault !== null || this.silence !== null;
  }

  /** The text was checked. */
  checked(parsed: boolean, faults: readonly Diagnostic[]): void {
    const first = faults.find(({ severity }) => severity === "error");
    const words = first ? `${first.line ? `Line ${first.line}: ` : ""}${first.message}.` : "The text can’t be read.";
    this.fault = parsed ? null : { words, line: first?.line ?? null };
    this.draw();
  }

  /** Wait for the server, and say why; null goes on. */
  offline(words: string | null): void {
    this.silence = words;
    this.draw();
  }

  /** Let nothing be typed until the fields of another part are here: it would be lost. */
  hold(held: boolean): void {
    this.held = held;
    this.draw();
  }

  private draw(): void {
    const { away, silence, fault } = this;
    find("form-waits").hidden = !away;
    find("form-waits-why").textContent = silence ?? fault?.words ?? "";
    find("form-waits-go").hidden = silence !== null || !fault?.line;
    find("form").classList.toggle("waits", away);
    find("fields").inert = away || this.held;
  }
}
