import type { Sealer } from '../inventory/sealer.ts'
import { takeInventory } from '../inventory/take-inventory.ts'
import { matchesGlob } from '../model/glob.ts'
import type { ListedProject, ShowName } from '../service/service-client.ts'
import { neutralise } from '../text/neutralise.ts'

/** A part of a reference, as in a configuration. */
const nameForm = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/

interface Naming {
  /** Names under which earlier runs scanned projects, by uid; each is in use once. */
  readonly known: ReadonlyMap<string, string>
  /** Names that the configuration gives to other projects. */
  readonly taken: ReadonlySet<string>
  readonly sealer: Sealer
}

/**
 * Names the projects of a list for references, by uid. A project keeps the name of earlier runs: waivers, baselines and
 * patterns name it so, and a person who renames it at the service could otherwise lead it away from them. A new one has
 * the service's name, with `-` for blanks, or its uid: where the name does not fit into a reference, contains a secret,
 * or is that of another project.
 */
export function nameProjects(
  listed: readonly ListedProject[],
  { known, taken, sealer }: Naming,
): ReadonlyMap<string, string> {
  const uids = new Set(listed.map(({ uid }) => uid))
  const inUse = new Set([...taken, ...known.values(), ...uids])
  const fresh = listed.filter(({ uid }) => !known.has(uid))
  const words = fresh.map(({ uid, name }) => [uid, wordOf(name, sealer)] as const)
  const wanted = Map.groupBy(words, ([, word]) => word)
  const names = words.map(([uid, word]) => {
    const isFree = word !== undefined && !inUse.has(word) && wanted.get(word)?.length === 1
    return [uid, isFree ? word : uid] as const
  })
  return new Map([...known, ...names])
}

/** The service's name as a part of a reference; undefined where it does not fit. */
function wordOf(name: string, sealer: Sealer): string | undefined {
  const word = name.trim().replace(/ {1,200}/g, '-')
  return nameForm.test(word) && sealedName(name, sealer) === name ? word : undefined
}

/** What patterns may call a project of the list besides its name here. */
export function namesAtService(name: string, sealer: Sealer): readonly string[] {
  return [name, wordOf(name, sealer) ?? name]
}

/** The first entry for projects of the list whose pattern fits one of the names. */
export function entryFor<Entry extends { readonly pattern: string }>(
  entries: readonly Entry[],
  names: readonly string[],
): Entry | undefined {
  return entries.find(({ pattern }) => names.some((name) => matchesGlob(name, pattern)))
}

/** Makes names of a list fit to be shown and kept. */
export function namesShownBy(sealer: Sealer): ShowName {
  return (name) => neutralise(sealedName(name, sealer))
}

/** A name of the list, with its secrets sealed. */
function sealedName(name: string, sealer: Sealer): string {
  return takeInventory('project', [{ name }], sealer).listed[0]?.name ?? ''
}
