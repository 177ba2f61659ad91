/** The applications of the workspace, the nearest deadline first. */

import { counted, find, make } from "../dom";
import type { Application, PersonHere } from "./messages";
import { dated, SOON } from "./words";

export class Applications {
  constructor(private readonly open: (application: Application) => void) {}

  set(all: Application[], people: PersonHere[]): void {
    const titles = new Map(people.map(({ name, title }) => [name, title]));
    find("applications-none").hidden = all.length > 0;
    find("applications-list").replaceChildren(...all.map((one) => this.row(one, titles.get(one.person) ?? one.person)));
  }

  private row(one: Application, person: string): HTMLElement {
    const about = [one.position, person].filter(Boolean).join(" · ");
    const soon = !one.over && one.days_left !== null && one.days_left >= 0 && one.days_left < SOON;
    const row = make("button", { type: "button", class: "application", "data-application": one.slug, click: () => this.open(one) },
      make("strong", {}, one.employer || one.slug), make("span", { class: soon ? "when soon" : "when" }, when(one)), make("small", {}, about));
    return make("li", {}, row);
  }
}

function when({ status, days_left, errors, sent }: Application): string {
  const last = sent.at(-1);
  if (status === "sent" && last) return `sent ${dated(last.date)}`;
  if (status === "faulty" || (status === "open" && errors)) return counted(errors, "error");
  if (status !== "open") return status;
  if (days_left === null) return "no deadline";
  if (days_left === 0) return "today is the last day";
  return `${counted(days_left, "day")} left`;
}
