import type { SimulatedFleet } from '../demo/fleet.ts'

/** The simulated fleet uses example.com, which a recommended rule would report for every endpoint. */
export const demoPolicy = 'extends: [recommended]\nrules: { endpoint/url-test-host: off }\n'

/** Writes `hookdrift.yaml` for all projects of a simulated service at a URL; the key comes from `DEMO_KEY`. */
export function demoConfiguration(url: string, fleet: SimulatedFleet): string {
  const projects = fleet.projects().map(({ uid, name }) => `      - { id: ${uid}, name: ${name} }`)
  return `policy: ./policy.yaml
services:
  - name: demo
    url: ${url}
    key: \${DEMO_KEY}
    projects:
${projects.join('\n')}
`
}
