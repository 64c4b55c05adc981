import { z } from 'zod'

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  kB: 1000,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
}

interface Range {
  /** As a person would write them. */
  readonly from: string
  readonly to: string
}

/** A duration such as `500ms`, `5s`, `2m` or `1h`, decoded to milliseconds. */
export function duration({ from, to }: Range) {
  const error = `a duration such as \`5s\`, from ${from} to ${to} (units ms, s, m, h)`
  const [least, most] = [durationMs(from), durationMs(to)]
  return z
    .string({ error })
    .regex(/^\d{1,12}(?:\.\d{1,6})?(?:ms|s|m|h)$/, { error, abort: true })
    .refine((text) => durationMs(text) >= least && durationMs(text) <= most, { error })
    .transform(durationMs)
}

/** A size such as `32MiB`, `10MB` or plain bytes, decoded to bytes. */
export function size({ from, to }: Range) {
  const error = `a size such as \`32MiB\`, from ${from} to ${to}`
  const [least, most] = [sizeBytes(from), sizeBytes(to)]
  const text = z.string().regex(/^\d{1,15} ?(?:B|kB|KB|KiB|MB|MiB|GB|GiB)?$/, { error })
  return z
    .union([text, z.int()], { error })
    .refine((value) => sizeBytes(value) >= least && sizeBytes(value) <= most, { error })
    .transform(sizeBytes)
}

function durationMs(text: string): number {
  const [, amount, unit] = /^([\d.]+)([a-z]+)$/.exec(text) ?? []
  return Math.round(Number(amount) * (durationUnits[unit ?? ''] ?? Number.NaN))
}

function sizeBytes(value: string | number): number {
  const [, amount, unit] = /^(-?\d+) ?([A-Za-z]*)$/.exec(String(value)) ?? []
  return Number(amount) * (sizeUnits[unit ?? ''] ?? Number.NaN)
}
