import { type Cases, endpointsAt } from '../rule-cases.ts'

const reserved = ['example.com', 'hooks.tenant.example.org', 'a.example', 'a.test', 'a.invalid']
const alike = ['notwebhook.site', 'webhook.site.acme.dev', 'example.de', 'test.acme.dev', '8.8.8.8']
const bin = 'is a request bin: anyone can read what it receives'

export const cases: Cases = {
  'finds request bins': {
    sees: endpointsAt(
      'https://webhook.site/in',
      'https://WEBHOOK.site./in',
      'https://abc.requestbin.net/in',
      'https://en1x.m.pipedream.net/in',
    ),
    finds: [
      `high e1/url: webhook.site ${bin}`,
      `high e2/url: webhook.site ${bin}`,
      `high e3/url: abc.requestbin.net ${bin}`,
      `high e4/url: en1x.m.pipedream.net ${bin}`,
    ],
  },
  'finds a tunnel': {
    sees: endpointsAt('https://abc.ngrok-free.app/'),
    finds: ["high e1/url: abc.ngrok-free.app is a tunnel to a person's own computer"],
  },
  'finds reserved names, which matter less': {
    sees: endpointsAt(...reserved.map((host) => `https://${host}/`)),
    finds: reserved.map((host, index) => `info e${index + 1}/url: ${host} is reserved for documentation and tests`),
  },
  'leaves names alone that only look alike': { sees: endpointsAt(...alike.map((host) => `https://${host}/`)) },
  'allows the hosts of the policy': {
    sees: endpointsAt('https://acme.ngrok.app/', 'https://other.ngrok.app/'),
    options: { allow_hosts: ['acme.ngrok.app'] },
    finds: ["high e2/url: other.ngrok.app is a tunnel to a person's own computer"],
  },
}
