import { fieldRule } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import { failed } from './failed.ts'
import { outputChanged } from './output-changed.ts'

/** Rules about probes. Those about one field are rows here, in the order of ids; the others have a file each. */
export const probeRules: readonly Rule[] = [
  fieldRule('probe', {
    id: 'probe/unexpected',
    title: "Function result does not meet its probe's expectation",
    severity: 'high',
    packs: ['delivery'],
    path: '/unexpected',
    isWrong: ({ unexpected }) => typeof unexpected === 'string',
    says: ({ unexpected }) => unexpected ?? '',
  }),
  failed,
  outputChanged,
]
