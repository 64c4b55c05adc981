import { resourceRule } from '../engine/define-rule.ts'

export const dynamicUrlsUnmatched = resourceRule('project', {
  id: 'project/dynamic-urls-unmatched',
  title: 'Dynamic events may create endpoints for any URL',
  severity: 'medium',
  packs: ['ssrf'],
  check({ attributes }) {
    if (attributes.config?.allow_unmatched_dynamic_urls !== true) return undefined
    return {
      path: '/config/allow_unmatched_dynamic_urls',
      message: 'on: a caller of dynamic events makes the project deliver to any URL',
    }
  },
})
