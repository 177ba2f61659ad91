/** Files that are dropped, chosen or pasted, and what can be said of them before they are read. */

/** As many as the server takes: docs/internals/serve.md. */
const MOST_FILES = 20;
const MOST_BYTES = 32 << 20;

export interface Dropped {
  files: File[];
  /** Why none of them is sent, in a sentence. */
  problem: string | null;
}

export function dropped(transfer: DataTransfer): Dropped {
  const entries = [...transfer.items].filter(({ kind }) => kind === "file").map((item) => item.webkitGetAsEntry());
  const folder = entries.find((entry) => entry?.isDirectory);
  if (folder) return { files: [], problem: `${folder.name} is a folder. Drop the files that are in it.` };
  return chosen([...transfer.files]);
}

export function chosen(files: File[]): Dropped {
  return { files, problem: problem(files) };
}

function problem(files: File[]): string | null {
  if (!files.length) return "This is no file. Drop a CV that is saved as a file.";
  if (files.length > MOST_FILES) {
    return `These are ${files.length} files. Drop one CV, or up to ${MOST_FILES} files of one person.`;
  }
  const empty = files.find(({ size }) => !size);
  if (empty) return `${empty.name} is empty. Choose another file.`;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size <= MOST_BYTES) return null;
  const what = files.length === 1 ? `${files[0]!.name} has` : "These files have";
  return `${what} more than ${MOST_BYTES >> 20} MiB. Drop the CV alone.`;
}

export function pasted(text: string): File[] {
  return [new File([text], "pasted.txt", { type: "text/plain" })];
}

/** Return a file's bytes in base64. */
export async function encoded(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts: string[] = [];
  // As many at a time as a function takes arguments.
  for (let at = 0; at < bytes.length; at += 0x6000) parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  return parts.join("");
}
