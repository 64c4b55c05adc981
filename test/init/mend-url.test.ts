import { describe, expect, it } from 'vitest'
import { nameKeyVariable, nameService } from '../../src/cli/init/interview.ts'
import { isLoopbackUrl, mendUrl, withOtherScheme } from '../../src/cli/init/reach-service.ts'

describe('a URL that a person gives', () => {
  it.each([
    ['https://hooks.example.com', 'https://hooks.example.com', 0],
    [' https://hooks.example.com/ ', 'https://hooks.example.com', 0],
    ['hooks.example.com', 'https://hooks.example.com', 1],
    ['localhost:5005', 'http://localhost:5005', 1],
    ['[::1]:5005/api/v1', 'http://[::1]:5005', 2],
    ['https://hooks.example.com/api/v1', 'https://hooks.example.com', 1],
    ['https://hooks.example.com/base/api/v1/projects/01M7?perPage=1#top', 'https://hooks.example.com/base', 2],
    ['https://hooks.example.com/api/v12', 'https://hooks.example.com/api/v12', 0],
    ['HTTP://Hooks.Example.com:80//', 'http://hooks.example.com', 0],
  ])('%s becomes %s', (given, url, notes) => {
    const mended = mendUrl(given)
    expect(mended).toEqual({ url, notes: expect.toSatisfy((all: string[]) => all.length === notes) })
  })

  it.each([
    ['', 'expected a URL such as https://hooks.example.com'],
    ['https://', 'expected a URL such as https://hooks.example.com'],
    ['hooks example com', 'expected a URL such as https://hooks.example.com'],
    ['ftp://hooks.example.com', 'expected a URL with http or https, not ftp'],
    ['https://me:pass@hooks.example.com', 'leave user and password out of the URL: the key is asked for separately'],
    [
      'CO.demo5acfd50f.not-a-real-key',
      'that is an API key, which comes later: expected a URL such as https://hooks.example.com',
    ],
  ])('%j is refused', (given, problem) => {
    expect(mendUrl(given)).toEqual({ problem })
  })

  it('is of this machine or not', () => {
    for (const url of ['http://localhost:5005', 'http://127.0.0.1', 'http://[::1]:80/x'])
      expect(isLoopbackUrl(url)).toBe(true)
    for (const url of ['http://localhost.example.com', 'http://127.example.com', 'http://10.0.0.1'])
      expect(isLoopbackUrl(url)).toBe(false)
  })

  it('has another scheme, which keeps the port', () => {
    expect(withOtherScheme('https://a.example:8443/base')).toBe('http://a.example:8443/base')
    expect(withOtherScheme('http://a.example')).toBe('https://a.example')
  })
})

describe('the name of a service', () => {
  it.each([
    ['ACME_KEY', 'https://hooks.example.com', 'acme'],
    ['ACME_EU_API_KEY', 'https://hooks.example.com', 'acme-eu'],
    ['__KEY', 'https://hooks.example.com', 'convoy'],
    ['TOKEN', 'https://hooks.acme.example', 'acme'],
    ['HOOKDRIFT_KEY', 'https://hooks.acme.example', 'convoy'],
    [undefined, 'https://hookdrift.acme.example', 'acme'],
    [undefined, 'https://webhooks.api.acme.example', 'acme'],
    [undefined, 'http://127.0.0.1:8080', 'convoy'],
    [undefined, 'http://localhost', 'convoy'],
    [undefined, 'http://[::1]:8080', 'convoy'],
  ])('for %s and %s is %s', (variable, url, name) => {
    expect(nameService(variable, url)).toBe(name)
  })

  it('makes the name of a variable', () => {
    expect(['acme', 'acme-eu.1', '3scale'].map(nameKeyVariable)).toEqual(['ACME_KEY', 'ACME_EU_1_KEY', '_3SCALE_KEY'])
  })
})
