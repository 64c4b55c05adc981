import type { Kind, ProjectRef } from '../model/resource.ts'

/** What a rule says something about. */
export interface DoubtSubject {
  readonly rule: string
  readonly kind: Kind
  readonly uid: string
}

/** What rules could not judge, because a field that they read is malformed: their silence there means nothing. */
export interface Doubts {
  /** A rule could not judge one resource. `counts`: it would have counted among those that the rule judged. */
  note(project: ProjectRef, subject: DoubtSubject, counts: boolean): void
  /** A rule across resources did not see all of a kind. `where`: a project's name, or that of all. */
  blur(where: string, rule: string, kind: Kind): void
  /** Whether a rule across resources saw all of a kind there, as far as fields could be read. */
  isClear(where: string, rule: string, kind: Kind): boolean
  /** Whether what a rule says or does not say of a resource means nothing. */
  isAbout(project: ProjectRef, subject: DoubtSubject): boolean
  /** Whether a rule could not judge something in a project, or what it spans. */
  holdsAny(project: ProjectRef, rule: string): boolean
  /** How many resources of a kind a rule could not judge. */
  count(project: ProjectRef, rule: string, kind: Kind): number
  forget(project: ProjectRef): void
}

/** `everywhere`: the name of all projects together. */
export function startDoubts(everywhere: string): Doubts {
  const byProject = new Map<string, Map<string, NotEvaluated>>()
  const blurred = new Map<string, Map<string, Set<Kind>>>()
  const unjudgedBy = (project: ProjectRef, rule: string) => byProject.get(project.name)?.get(rule)
  const isBlurred = ({ name }: ProjectRef, rule: string) =>
    [name, everywhere].some((where) => blurred.get(where)?.has(rule) === true)

  return {
    note(project, { rule, kind, uid }, counts) {
      const ofProject = getOrAdd(byProject, project.name, () => new Map<string, NotEvaluated>())
      const { keys, counted } = getOrAdd(ofProject, rule, (): NotEvaluated => ({ keys: new Set(), counted: {} }))
      const key = `${kind} ${uid}`
      if (counts && !keys.has(key)) counted[kind] = (counted[kind] ?? 0) + 1
      keys.add(key)
    },
    blur(where, rule, kind) {
      const ofPlace = getOrAdd(blurred, where, () => new Map<string, Set<Kind>>())
      getOrAdd(ofPlace, rule, () => new Set<Kind>()).add(kind)
    },
    isClear: (where, rule, kind) => blurred.get(where)?.get(rule)?.has(kind) !== true,
    isAbout: (project, { rule, kind, uid }) =>
      isBlurred(project, rule) || unjudgedBy(project, rule)?.keys.has(`${kind} ${uid}`) === true,
    holdsAny: (project, rule) => isBlurred(project, rule) || unjudgedBy(project, rule) !== undefined,
    count: (project, rule, kind) => unjudgedBy(project, rule)?.counted[kind] ?? 0,
    forget({ name }) {
      byProject.delete(name)
      blurred.delete(name)
    },
  }
}

interface NotEvaluated {
  /** As `kind uid`. */
  readonly keys: Set<string>
  readonly counted: Partial<Record<Kind, number>>
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
