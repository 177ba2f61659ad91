/** What lets this browser in: the server's key, for all tabs of this address; no other port gets it. */

export interface Keys {
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
export async function admitted(): Promise<Keys | null> {
  const known = kept();
  if (known && (await enter(known.key))) {
    hideToken();
    return known;
  }
  const given = token === null ? null : await enter(token);
  token = null;
  if (given) keep(given);
  // Another tab may have used the token at the same moment.
  else if (kept()?.key !== known?.key) return kept();
  return given;
}

function keep(given: Keys): void {
  own = given;
  try {
    localStorage.setItem(NAME, JSON.stringify(given));
  } catch {
    // As said above.
  }
  hideToken();
}

/** It isn't needed any more; until then, the page may be loaded again. */
function hideToken(): void {
  if (location.search) window.history.replaceState(null, "", `/${location.hash}`);
}

/** Return the headers of a request for what is the user's. */
export function withKey(): Record<string, string> {
  return { Authorization: `Bearer ${kept()?.key ?? ""}` };
}

/** Return the server's answer to a key or a token; null if it refuses. Throws if there is no server. */
async function enter(word: string): Promise<Keys | null> {
  const answer = await fetch("/enter", { method: "POST", headers: { Authorization: `Bearer ${word}` } });
  return answer.ok ? ((await answer.json()) as Keys) : null;
}

function kept(): Keys | null {
  try {
    const stored = localStorage.getItem(NAME);
    return stored === null ? own : (JSON.parse(stored) as Keys);
  } catch {
    return own;
  }
}
