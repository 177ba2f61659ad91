/** The WebSocket to the server, opened again whenever it breaks. */

import type { FromPage, FromServer } from "./messages";

export type State = "open" | "gone" | "refused";

const SOONEST = 250;
const LATEST = 4000;

export class Connection {
  private socket: WebSocket | null = null;
  private wait = SOONEST;
  private timer = 0;

  constructor(
    private readonly receive: (message: FromServer) => void,
    private readonly changed: (state: State) => void,
  ) {
    for (const event of ["online", "focus"]) window.addEventListener(event, () => this.hurry());
    this.connect();
  }

  /** Send a message; returns false where there is no connection. */
  send(message: FromPage): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private connect(): void {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    this.socket = socket;
    socket.onopen = () => {
      this.wait = SOONEST;
      this.changed("open");
    };
    socket.onmessage = (event) => this.receive(JSON.parse(event.data as string) as FromServer);
    socket.onclose = () => void this.closed();
  }

  private async closed(): Promise<void> {
    this.timer = window.setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(LATEST, this.wait * 2);
    this.changed((await answers()) ? "refused" : "gone");
  }

  private hurry(): void {
    if (this.socket?.readyState !== WebSocket.CLOSED) return;
    clearTimeout(this.timer);
    this.wait = SOONEST;
    this.connect();
  }
}

/** Return whether a server refuses this page: one that was started again has another token. */
async function answers(): Promise<boolean> {
  try {
    return (await fetch("/static/page.css", { method: "HEAD" })).status === 403;
  } catch {
    return false;
  }
}
