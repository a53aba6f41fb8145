/** How a program gets a token when it knows nothing but what the card or the metadata say. */

async function posted(url: string, fields: Readonly<Record<string, string>>, authorization?: string) {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const response = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(fields) });
  return (await response.json()) as Record<string, string>;
}

/** RFC 6749, 4.4 */
export async function clientCredentialsToken(
  { tokenUrl, scope }: { readonly tokenUrl: string; readonly scope: string },
  { id, secret }: { readonly id: string; readonly secret: string },
): Promise<string> {
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const { access_token: token, error } = await posted(tokenUrl, { grant_type: 'client_credentials', scope }, basic);
  if (token === undefined) throw new Error(error);
  return token;
}

/** RFC 8628; `person` is shown the code, and approves it elsewhere. */
export async function deviceToken(
  {
    deviceAuthorizationUrl,
    tokenUrl,
    scope,
  }: { readonly deviceAuthorizationUrl: string; readonly tokenUrl: string; readonly scope: string },
  person: (userCode: string) => void,
): Promise<string> {
  const begun = await posted(deviceAuthorizationUrl, { client_id: 'screenless', scope });
  const poll = () =>
    posted(tokenUrl, { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: begun['device_code'] as string });
  const { error } = await poll();
  if (error !== 'authorization_pending') throw new Error(`nobody has approved it, and the answer is ${error}`);
  person(begun['user_code'] as string);
  return (await poll())['access_token'] as string;
}
