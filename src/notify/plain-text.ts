import { cut } from '../text/cut.ts'
import { neutralise } from '../text/neutralise.ts'
import type { Piece } from './show-message.ts'

/** Pieces of a line as plain text without control characters or line breaks; what is foreign is cut. */
export function plainText(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => {
      if ('own' in piece) return neutralise(cut(piece.own, 600))
      if ('command' in piece) return `\`${piece.command}\``
      if ('name' in piece) return `"${neutralise(cut(piece.name, 300))}"`
      return neutralise(cut('foreign' in piece ? piece.foreign : piece.prose, 500))
    })
    .join('')
}
