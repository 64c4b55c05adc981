import { cut, neutralise } from '../../text/neutralise.ts'

/**
 * Foreign text as a plain SARIF message (3.11.2): `[words](address)` would be a link and `{0}` a placeholder, so
 * brackets and such braces are escaped as the standard requires.
 */
export function plain(text: string, longest?: number): string {
  return neutralise(cut(text, longest))
    .replace(/(?<!\\)(\\*)([[\]])/g, '$1$1\\$2')
    .replace(/\{(\d+)\}/g, '{{$1}}')
}
