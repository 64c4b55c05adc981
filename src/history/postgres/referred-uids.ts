import { isJsonObject } from '../../model/json.ts'

export interface ReferredUids {
  readonly endpointUid: string | null
  readonly sourceUid: string | null
  readonly deviceUid: string | null
}

/** To whom a resource refers, out of its body: what the columns of the same names contain. Only subscriptions refer. */
export function referredUids(kind: string, body: string): ReferredUids {
  const attributes = kind === 'subscription' ? parse(body) : {}
  return {
    endpointUid: textOf(attributes.endpoint_uid),
    sourceUid: textOf(attributes.source_uid),
    deviceUid: textOf(attributes.device_uid),
  }
}

/** A damaged body refers to none; its digest shows the damage. */
function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    const attributes: unknown = JSON.parse(body)
    return isJsonObject(attributes) ? attributes : {}
  } catch {
    return {}
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
