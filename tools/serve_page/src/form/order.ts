/** A note that the document on the right prints sections in an order of its own, and what ends that. */

import { find } from "../dom";
import type { Described, Path, Value } from "../messages";
import type { Selected } from "./selected";
import type { Told } from "./told";

export class OrderNote {
  private document: Described | null = null;

  constructor(
    private readonly selected: Selected,
    private readonly told: Told,
    private readonly set: (path: Path, value: Value) => Promise<string | null>,
  ) {
    find("order-too").onclick = () => void this.write();
  }

  /** Show what is printed. */
  printed(document: Described | null): void {
    this.document = document;
    const order = this.option?.value;
    const own = Array.isArray(order) && order.length > 0;
    find("order-note").hidden = !own;
    if (own) find("order-words").textContent = `“${document!.title}” prints sections in an order of its own.`;
  }

  private get option(): Described["options"][number] | undefined {
    return this.document?.options.find(({ name }) => name === "sections");
  }

  /** Write the order of the file there, too. */
  private async write(): Promise<void> {
    const { option, document } = this;
    if (!option) return;
    const kinds = this.selected.parts.filter(({ path }) => path[0] === "sections" || path.length === 1).map(({ kind }) => kind);
    const problem = await this.set(option.from?.path ?? option.path, [...new Set(kinds)]);
    this.told.say(problem ?? `“${document!.title}” prints sections in this order now.`, problem === null);
  }
}
