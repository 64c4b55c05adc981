import { type CustomTypesConfig, types } from 'pg'
import type { Json } from '../../../model/json.ts'
import { decodeText } from '../text-codec.ts'

/** How the cells of a user's query are read: as those of the SQLite backend, and all else as PostgreSQL's text. */
export const cellTypes: CustomTypesConfig = { getTypeParser: (id: number) => parsers[id] ?? decodeText }

const { BOOL, BYTEA, FLOAT4, FLOAT8, INT2, INT4, INT8, NUMERIC, OID, TIMESTAMPTZ } = types.builtins

const parsers: Readonly<Record<number, (text: string) => Json>> = {
  [BOOL]: (text) => text === 't',
  // `\x00ff`
  [BYTEA]: (text) => `x'${text.slice(2)}'`,
  [INT2]: Number,
  [INT4]: Number,
  [OID]: Number,
  [INT8]: toNumber,
  [FLOAT4]: toNumber,
  [FLOAT8]: toNumber,
  [NUMERIC]: toNumber,
  [TIMESTAMPTZ](text) {
    const time = new Date(text)
    return Number.isNaN(time.getTime()) ? text : time.toISOString()
  },
}

/** A text where a double has no such value, or not all digits of a whole number. */
function toNumber(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : text
}
