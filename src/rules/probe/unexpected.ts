import { resourceRule } from '../engine/define-rule.ts'

export const unexpected = resourceRule('probe', {
  id: 'probe/unexpected',
  title: "Function's result is not what its probe expects",
  severity: 'high',
  packs: ['delivery'],
  *check({ attributes: { unexpected: complaint } }) {
    if (typeof complaint === 'string') yield { path: '/unexpected', message: complaint }
  },
})
