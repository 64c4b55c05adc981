import { type JsonObject, valueAt } from '../../model/json.ts'
import type { RepairableKind } from './repair.ts'

/** A field that says where the gateway sends something, and the fields whose secrets go there. JSON Pointers. */
interface Destination {
  readonly path: string
  readonly carries: readonly string[]
}

/** By kind. Secrets that no row has are sent nowhere, or are part of their address. */
export const destinations = {
  endpoint: [
    { path: '/url', carries: ['/authentication', '/mtls_client_cert'] },
    { path: '/authentication/oauth2/url', carries: ['/authentication/oauth2'] },
  ],
  // A function may put a secret into what it makes of an event.
  subscription: [{ path: '/endpoint_uid', carries: ['/function'] }],
  // Credentials of SQS go where the gateway's library goes: no request names another place.
  source: [
    { path: '/pub_sub/amqp/host', carries: ['/pub_sub/amqp/auth'] },
    { path: '/pub_sub/kafka/brokers', carries: ['/pub_sub/kafka/auth'] },
  ],
  project: [{ path: '/config/meta_event/url', carries: ['/config/meta_event/secret'] }],
} as const satisfies Record<RepairableKind, readonly Destination[]>

/**
 * Where the gateway would send secrets of a request. It has all of them, also those that it leaves as they are: a person
 * fills each in.
 */
export function destinationsOf(kind: RepairableKind, target: JsonObject): string[] {
  const all: readonly Destination[] = destinations[kind]
  const hasSecret = (path: string) => JSON.stringify(valueAt(target, path) ?? null).includes('sealed:')
  return all.filter(({ carries }) => carries.some(hasSecret)).map(({ path }) => path)
}
