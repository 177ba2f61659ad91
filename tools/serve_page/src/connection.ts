/** The WebSocket to the server, opened again whenever it breaks. */

import { admitted, type Keys } from "./keys";
import type { FromPage, FromServer, Welcome } from "./messages";

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
    // Another tab may have got the key of a new server.
    for (const event of ["online", "focus", "storage"]) window.addEventListener(event, () => this.hurry());
    void this.connect();
  }

  /** Send a message; returns false where there is no connection. */
  send(message: FromPage): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private async connect(): Promise<void> {
    this.timer = 0;
    try {
      const keys = await admitted();
      if (keys) this.open(keys);
      else this.again("refused");
    } catch {
      this.again("gone");
    }
  }

  private open(keys: Keys): void {
    const socket = new WebSocket(`ws://${location.host}/socket`, ["cvbuild", `key.${keys.key}`]);
    socket.onmessage = (event) => {
      const message: unknown = JSON.parse(event.data as string);
      if (this.socket === socket) return this.receive(message as FromServer);
      // Another program may listen where cvbuild did: it is told nothing.
      if ((message as Welcome).proof !== keys.proof) return socket.close();
      this.socket = socket;
      this.wait = SOONEST;
      this.changed("open");
    };
    socket.onclose = () => {
      this.socket = null;
      this.again("gone");
    };
  }

  private again(state: State): void {
    this.timer = window.setTimeout(() => void this.connect(), this.wait);
    this.wait = Math.min(LATEST, this.wait * 2);
    this.changed(state);
  }

  private hurry(): void {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.wait = SOONEST;
    void this.connect();
  }
}
