/** The requests that the page makes beside its WebSocket. */

import { sentence, type Diagnostic } from "./messages";

/** A request that the server refused or didn't get; the message says why. */
export class Refused extends Error {}

/** Return the server's answer to a request; throws Refused. */
export async function post(address: string, content: unknown): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(content),
    });
  } catch {
    throw new Refused("the server doesn't answer; is cvbuild serve still running?");
  }
  if (!answer.ok) throw new Refused(await reason(answer));
  return answer;
}

async function reason(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const { diagnostics } = JSON.parse(text) as { diagnostics: Diagnostic[] };
    return diagnostics.map(sentence).join("\n");
  } catch {
    return text || `the server answers ${answer.status}`;
  }
}
