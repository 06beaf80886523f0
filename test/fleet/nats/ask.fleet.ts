import { askTable } from '../ask-table.js';
import { natsGround } from './server.js';

askTable('on NATS', natsGround);
