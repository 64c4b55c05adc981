import { resourceRule } from '../engine/define-rule.ts'

export const mtlsIncomplete = resourceRule('endpoint', {
  id: 'endpoint/mtls-incomplete',
  title: 'Client certificate or its key is missing',
  severity: 'high',
  packs: ['tls'],
  acceptedWith: ['/mtls_client_cert'],
  *check({ attributes: { mtls_client_cert: mtls } }) {
    if (mtls === null || mtls === undefined) return
    const { client_cert: certificate, client_key: key } = mtls
    if (certificate !== undefined && key === undefined) {
      yield { path: '/mtls_client_cert/client_key', message: 'the client certificate has no key' }
    }
    if (certificate === undefined && key !== undefined) {
      yield { path: '/mtls_client_cert/client_cert', message: 'the client key has no certificate' }
    }
  },
})
