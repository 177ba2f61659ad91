/** Whether the pages show the text as it is now, or an earlier one. */

import { find } from "../dom";
import { sentence, type Diagnostic } from "../messages";

/** Mark the pages as those of an earlier text, and say why; `go` leads to the first error. */
export function earlier(diagnostics: Diagnostic[], go: (diagnostic: Diagnostic) => void): void {
  const wrong = diagnostics.find(({ severity }) => severity === "error") ?? diagnostics[0];
  find("making").hidden = true;
  find("earlier").hidden = false;
  find("pages").classList.add("earlier");
  const line = wrong?.line ? `Line ${wrong.line}: ` : "";
  find("earlier-why").textContent = wrong ? `${line}${sentence(wrong)}` : "";
  find("earlier-go").hidden = !wrong?.line;
  find("earlier-go").onclick = () => wrong && go(wrong);
}

/** Take the mark away. */
export function current(): void {
  find("making").hidden = true;
  find("earlier").hidden = true;
  find("pages").classList.remove("earlier");
}
