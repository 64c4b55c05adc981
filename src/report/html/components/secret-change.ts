import type { FieldChange } from '../../../model/change.ts'
import { isJsonObject, type Json } from '../../../model/json.ts'
import { shortenSeals } from '../../text/shorten.ts'

interface SecretChange {
  readonly sentence: string
  /** The field changes that it covers. */
  readonly fields: readonly FieldChange[]
}

const folder = '/secrets/'

/** A replaced signing secret, which the service shows as one that is gone and another that came. */
export function secretChange(fields: readonly FieldChange[]): SecretChange | undefined {
  const secrets = fields.filter(({ path }) => path.startsWith(folder) && !path.includes('/', folder.length))
  const [gone, other] = secrets.filter(({ after }) => after === null)
  const [come, another] = secrets.filter(({ before }) => before === null)
  if (gone === undefined || come === undefined || other !== undefined || another !== undefined) return undefined
  const [before, after] = [readSecret(gone.before), readSecret(come.after)]
  if (before === undefined || after === undefined) return undefined
  const [old, now] = shortenSeals(before.seal, after.seal).map(fingerprintOf)
  const dates = `created ${before.created}, then ${after.created}`
  return { sentence: `Signing secret replaced: fingerprint ${old} → ${now} (${dates})`, fields: [gone, come] }
}

function readSecret(value: Json): { seal: string; created: string } | undefined {
  if (!isJsonObject(value)) return undefined
  const { value: seal, created_at: created } = value
  if (typeof seal !== 'string' || !seal.startsWith('sealed:') || typeof created !== 'string') return undefined
  return { seal, created: created.slice(0, 10) }
}

function fingerprintOf(seal: string): string {
  return seal.slice('sealed:'.length).replace('…', '')
}
