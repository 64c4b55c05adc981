/**
 * A text as a reader sees it: without characters that take no room (soft hyphens, zero width spaces, controls), and with
 * letters of full width and the like in their usual form. A secret that is written so is as readable as any other.
 */
export function asSeen(text: string): string {
  return isUsual(text) ? text : text.replace(unseen, '').normalize('NFKC')
}

/** True for most texts, and quick. */
function isUsual(text: string): boolean {
  return !/[^\t\n\r -~]/.test(text)
}

const unseen = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu
