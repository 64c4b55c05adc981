import type { Kind, ProjectRef } from './resource.ts'

declare const isKeyOf: unique symbol

/** Names a resource within its project: `kind uid`. */
export type ResourceKey = string & { readonly [isKeyOf]: 'resource' }

export function resourceKey({ kind, uid }: { readonly kind: Kind; readonly uid: string }): ResourceKey {
  // The one place where a text becomes a key.
  return `${kind} ${uid}` as ResourceKey
}

/** Names a project over time: a person may rename it, the service's uid stays. */
export function projectKey({ service, uid }: Pick<ProjectRef, 'service' | 'uid'>): string {
  return JSON.stringify([service, uid])
}
