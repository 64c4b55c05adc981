import type { ProjectRef } from '../../model/resource.ts'
import type { FindingPlace } from '../engine/rule.ts'

/** One use of a secret: by whom, and what the rule wants to know of it later. */
export interface Use {
  readonly at: FindingPlace
  readonly facts: readonly string[]
}

type Packed = [rest: string, project: number, kind: FindingPlace['kind'], uid: string, name: string, ...facts: string[]]

/**
 * Who uses which secret, by seal, over a whole fleet. Nearly every secret is used once and nearly nothing of this is
 * ever read, so a use is kept as one text and its seal as one number: that is a third of what objects would take.
 */
export class SharedUses {
  readonly #projects: ProjectRef[] = []
  readonly #numbers = new Map<string, number>()
  /** By the first 52 bits of the seal; the rest of it comes first in each text. */
  readonly #uses = new Map<number, string | string[]>()

  add(seal: string, at: FindingPlace, facts: readonly string[]): void {
    const [first, rest] = halvesOf(seal)
    const use = JSON.stringify([rest, this.#numberOf(at.project), at.kind, at.uid, at.name, ...facts])
    const known = this.#uses.get(first)
    if (known === undefined) this.#uses.set(first, use)
    else if (typeof known === 'string') this.#uses.set(first, [known, use])
    else known.push(use)
  }

  /** The uses of each secret that has several. */
  *shared(): Generator<readonly Use[]> {
    for (const uses of this.#uses.values()) {
      if (typeof uses === 'string') continue
      const unpacked = uses.map((use): Packed => JSON.parse(use))
      for (const alike of Map.groupBy(unpacked, ([rest]) => rest).values()) {
        if (alike.length > 1) yield alike.map((use) => this.#unpack(use))
      }
    }
  }

  #numberOf(project: ProjectRef): number {
    const known = this.#numbers.get(project.name)
    if (known !== undefined) return known
    this.#numbers.set(project.name, this.#projects.length)
    return this.#projects.push(project) - 1
  }

  #unpack([, number, kind, uid, name, ...facts]: Packed): Use {
    const project = this.#projects[number]
    if (project === undefined) throw new Error('a use of no project')
    return { at: { project, kind, uid, name }, facts }
  }
}

/** `sealed:<32 hex digits>` as a number of 52 bits, and what is left of it. */
export function halvesOf(seal: string): [first: number, rest: string] {
  return [Number.parseInt(seal.slice(7, 20), 16), seal.slice(20)]
}
