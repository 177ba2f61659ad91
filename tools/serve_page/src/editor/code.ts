/** The script that shows the text: it is run only if it is the one that was built with this page. */

import { make } from "../dom";
import { told } from "../said";

export type Code = Omit<typeof import("./text"), "default">;

/** What the build puts in place of this: another program may have taken the port. */
const INTEGRITY = "INTEGRITY OF text.js";

let arrived: (code: Code) => void = () => {};
let code: Promise<Code | null> | null = null;

/** The script is here. */
export function provide(given: Code): void {
  arrived(given);
}

/** Load the script once; null if that can't be done now. */
export function loaded(): Promise<Code | null> {
  code ??= new Promise((done) => {
    arrived = done;
    const script = make("script", { type: "module", src: "/static/text.js", integrity: INTEGRITY });
    script.onerror = () => {
      script.remove();
      code = null;
      told("The text can’t be shown, as cvbuild serve doesn’t answer.");
      done(null);
    };
    document.head.append(script);
  });
  return code;
}
