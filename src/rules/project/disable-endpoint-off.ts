import { resourceRule } from '../engine/define-rule.ts'

export const disableEndpointOff = resourceRule('project', {
  id: 'project/disable-endpoint-off',
  title: 'Failing endpoints are never disabled',
  severity: 'info',
  packs: ['delivery'],
  check({ attributes }) {
    if (attributes.config?.disable_endpoint === false) {
      return { path: '/config/disable_endpoint', message: 'off: an endpoint that always fails stays active' }
    }
    return undefined
  },
})
