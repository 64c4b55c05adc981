import { matchesGlob } from '../model/glob.ts'
import { controls, type Evidence } from './controls.ts'
import { type Framework, frameworks } from './frameworks.ts'

/** A framework and which rules give evidence for its controls: one of ours, or one that a user wrote. */
export interface FrameworkMapping {
  readonly id: string
  readonly title: string
  readonly controls: readonly MappedControl[]
}

export interface MappedControl {
  readonly id: string
  readonly title: string
  /** Why a rule gives evidence for the control; undefined when it gives none. */
  becauseOf(rule: string): string | undefined
}

export const builtInFrameworks: readonly FrameworkMapping[] = frameworks.map(mappingOf)

export function mapControl(id: string, title: string, evidence: readonly Evidence[]): MappedControl {
  return {
    id,
    title,
    becauseOf: (rule) => evidence.find(({ rules }) => rules.some((pattern) => matchesGlob(rule, pattern)))?.because,
  }
}

function mappingOf({ id, title, controls: all }: Framework): FrameworkMapping {
  const evidenceFor = new Map(controls.map((control) => [control.id, control.evidence]))
  return {
    id,
    title,
    controls: all.map(([control, name]) => mapControl(control, name, evidenceFor.get(`${id}:${control}`) ?? [])),
  }
}
