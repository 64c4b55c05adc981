import { z } from 'zod'
import { driftRule, openFor } from '../engine/define-rule.ts'
import { configuredKinds } from '../engine/rule.ts'

export const outsideWindow = driftRule({
  id: 'drift/outside-window',
  title: 'Resource changed outside its change windows',
  severity: 'medium',
  packs: [],
  optIn: true,
  kinds: configuredKinds,
  options: z.strictObject({ open_for: openFor }),
  *check({ outside, change, fields }) {
    if (outside === undefined || change === 'none' || (change === 'modified' && fields.length === 0)) return
    yield { path: '', message: outside }
  },
})
