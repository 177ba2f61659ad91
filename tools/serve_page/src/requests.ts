/** The requests that the page makes beside its WebSocket. */

import { withKey } from "./keys";
import { sentence, type Diagnostic } from "./messages";

/** A request that the server refused or didn't get; the message says why. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly diagnostics: Diagnostic[] = [],
  ) {
    super(message);
  }
}

/** Return the server's answer to a request; throws Refused. */
export async function post(address: string, content: unknown): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...withKey() },
      body: JSON.stringify(content),
    });
  } catch {
    throw new Refused("the server doesn't answer; is cvbuild serve still running?");
  }
  if (!answer.ok) throw await refused(answer);
  return answer;
}

/** Return the answer to a request for what is the user's; throws if there is none. */
export async function get(address: string): Promise<Response> {
  const answer = await fetch(address, { headers: withKey() });
  if (!answer.ok) throw new Refused(`the server answers ${answer.status}`);
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
