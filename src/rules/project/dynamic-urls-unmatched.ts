import { count } from '../../model/text/count.ts'
import { projectRule } from '../engine/define-rule.ts'

const path = '/config/allow_unmatched_dynamic_urls'

export const dynamicUrlsUnmatched = projectRule({
  id: 'project/dynamic-urls-unmatched',
  title: 'URL templates do not limit where dynamic events go',
  severity: 'medium',
  packs: ['ssrf'],
  fix: { path, value: false },
  kind: 'project',
  reads: ['project', 'endpoint'],
  *check({ all }) {
    const open = all('project').find(({ attributes }) => attributes.config?.allow_unmatched_dynamic_urls === true)
    if (open === undefined) return
    const templates = all('endpoint').filter(({ attributes }) => /\{\w{1,64}\}/.test(attributes.url ?? '')).length
    // Without a template, dynamic events create endpoints for any URL, with the setting on or off.
    if (templates === 0) return
    const message = `${count(templates, 'URL template')}, but a dynamic event for any other URL creates an endpoint for it`
    yield { at: open, path, message }
  },
})
