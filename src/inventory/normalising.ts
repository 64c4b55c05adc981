import type { Json, JsonObject } from '../model/json.ts'
import type { SecretFacts } from '../model/resource.ts'
import type { Sealer } from './sealer.ts'
import type { Neighbours } from './secret-facts.ts'

/** The input for normalising one resource, and the outputs in addition to its attributes. */
export interface Normalising {
  readonly sealer: Sealer
  /** A stub has few of its fields: an empty one means nothing. */
  readonly isStub: boolean
  readonly neighbours: Neighbours
  /** Filled while normalising, by JSON Pointer. */
  readonly facts: Record<string, SecretFacts>
  readonly volatile: Record<string, Json>
  /** Filled while normalising: JSON Pointers of fields whose value has another type than in the contract. */
  readonly malformed: string[]
}

/** The names that a weak secret may repeat. */
export function neighboursOf(raw: JsonObject): Neighbours {
  const name = raw.name ?? raw.title
  const address = raw.url ?? raw.target_url
  return {
    name: typeof name === 'string' ? name : '',
    uid: typeof raw.uid === 'string' ? raw.uid : '',
    address: typeof address === 'string' ? address : '',
    user: '',
  }
}

/** The same, within an object that names a user under either name. */
export function withUserOf({ username, user }: JsonObject, job: Normalising): Normalising {
  const named = typeof username === 'string' ? username : typeof user === 'string' ? user : ''
  return named === job.neighbours.user ? job : { ...job, neighbours: { ...job.neighbours, user: named } }
}
