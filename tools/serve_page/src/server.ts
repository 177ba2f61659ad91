/** The server: what lets this browser in, the WebSocket that is opened again whenever it breaks, and requests. */

import { asSentence, recalled, remember } from "./dom";
import type { Desk } from "./main";
import { type Diagnostic, type FromPage, type FromServer, sentence } from "./messages";

export type State = "open" | "gone" | "refused";

const SOONEST = 250;
const LATEST = 2000;

export class Connection {
  private socket: WebSocket | null = null;
  private wait = SOONEST;

  constructor(private readonly desk: Desk) {
    void this.connect();
  }

  /** Send a message; returns false where there is no connection. */
  send(message: FromPage): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private async connect(): Promise<void> {
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
      if (this.socket === socket) return this.desk.receive(message as FromServer);
      // The first message. Another program may listen where cvbuild did: it is told nothing.
      if ((message as { proof?: string }).proof !== keys.proof) return socket.close();
      this.socket = socket;
      this.wait = SOONEST;
      this.desk.connected("open");
    };
    socket.onclose = () => {
      this.socket = null;
      this.again("gone");
    };
  }

  private again(state: State): void {
    // Another tab may get the key of a new server.
    setTimeout(() => void this.connect(), this.wait);
    this.wait = Math.min(LATEST, this.wait * 2);
    this.desk.connected(state);
  }
}

interface Keys {
  key: string;
  /** What the server says that has this key. */
  proof: string;
}

const NAME = "cvbuild-keys";
/** What the address had: it lets one browser in, once. */
let token = new URLSearchParams(location.search).get("token");
/** Where the browser stores nothing, this tab has them until it is loaded again. */
let own: Keys | null = null;

/** Return the server's keys; null if it refuses this browser. Throws if no server answers. */
async function admitted(): Promise<Keys | null> {
  const known = kept();
  for (const word of [known?.key, token]) {
    const given = word ? await enter(word) : null;
    if (!given) continue;
    own = given;
    remember(NAME, JSON.stringify(given));
    // The token isn't needed any more; until then, the page may be loaded again.
    if (location.search) window.history.replaceState(null, "", `/${location.hash}`);
    return given;
  }
  token = null;
  // Another tab may have used the token at the same moment.
  return kept()?.key === known?.key ? null : kept();
}

/** Return the server's answer to a key or a token; null if it refuses. Throws if there is no server. */
async function enter(word: string): Promise<Keys | null> {
  const answer = await fetch("/enter", { method: "POST", headers: { Authorization: `Bearer ${word}` } });
  return answer.ok ? ((await answer.json()) as Keys) : null;
}

function kept(): Keys | null {
  try {
    return (JSON.parse(recalled(NAME) ?? "null") as Keys | null) ?? own;
  } catch {
    return own;
  }
}

/** A request that the server refused or didn't get; the message says why. */
export class Refused extends Error {
  constructor(message: string, readonly diagnostics: Diagnostic[] = []) {
    super(message);
  }
}

/** Return the server's answer to what is posted; throws Refused. */
export function post(address: string, content: unknown): Promise<Response> {
  return get(address, { method: "POST", body: JSON.stringify(content) });
}

/** Return what the server answers to a request, read as JSON; throws Refused. */
export async function ask<Answer>(address: string, content: unknown): Promise<Answer> {
  return (await (await post(address, content)).json()) as Answer;
}

/** Return what the server answers; null for nothing, after `say` was told why. */
export async function tried<Answer>(answer: Promise<Answer>, say: (words: string) => void): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    say(asSentence(why(error)));
    return null;
  }
}

/** Return why a request failed, in words. */
export function why(error: unknown): string {
  return error instanceof Refused ? error.message : String(error);
}

/** Return the answer to a request for what is the user's; throws Refused. */
export async function get(address: string, how: RequestInit = {}): Promise<Response> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${kept()?.key ?? ""}` };
  let answer: Response;
  try {
    answer = await fetch(address, { ...how, headers });
  } catch {
    throw new Refused("the server doesn't answer; is cvbuild serve still running?");
  }
  if (!answer.ok) throw await refused(answer);
  return answer;
}

async function refused(answer: Response): Promise<Refused> {
  const text = await answer.text();
  try {
    const { diagnostics } = JSON.parse(text) as { diagnostics: Diagnostic[] };
    return new Refused(diagnostics.map(sentence).join("\n"), diagnostics);
  } catch {
    return new Refused(text || `the server answers ${answer.status}`);
  }
}
