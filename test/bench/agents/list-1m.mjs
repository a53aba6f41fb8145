import { listed } from './_listed.mjs';

export default listed('list-1m');
