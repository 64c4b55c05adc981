import { versionHeader } from './gateway.ts'
import type { Pieces } from './pieces.ts'
import { flatten, type RequestText } from './request-text.ts'

/** What headers say about a write. Nothing else of them is kept: keys are in them. */
export interface RequestHeaders {
  /** Of the interface, `2025-11-24`; null where no header says it. */
  readonly version: string | null
  readonly host: { readonly at: number; readonly value: string } | undefined
}

/** @throws AuditError.usage where it is not a header, or one that decides what the gateway does in a way that is not known */
export function readHeader(source: RequestText, at: number, header: Pieces, known: RequestHeaders): RequestHeaders {
  const flat = flatten(header)
  const [, name = ''] = /^([A-Za-z0-9!#$%&'*+.^_`|~-]{1,200})\s{0,9}[:;]/.exec(flat) ?? []
  if (name === '') {
    throw source.fault(at, 'a header without a name and a colon', 'write its name; the value may be a variable')
  }
  // A NUL is a variable.
  const value = flat.slice(flat.indexOf(':') + 1).trim()
  switch (name.toLowerCase()) {
    case versionHeader:
      if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) {
        throw source.fault(at, `the header ${versionHeader} is not a date`, 'write it as 2025-11-24, or leave it out')
      }
      return { ...known, version: value }
    case 'host':
      return { ...known, host: { at, value } }
    case 'content-encoding':
    case 'transfer-encoding':
      throw source.fault(at, 'the body is encoded', 'write the body as plain JSON, without that header')
    default:
      return known
  }
}
